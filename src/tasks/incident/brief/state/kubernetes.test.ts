/** Every reason that Kubernetes publishes is a cause, a symptom, well again, or routine; none is two of these. */
import { describe, expect, it } from 'vitest';
import { findCondition, reasons } from './kubernetes.ts';
import { routineReasons } from './kubernetes-routine.ts';

/** As its API and its components name them, by where they stand in its sources and its reference. */
const published: Readonly<Record<string, string>> = {
  'kubelet, containers':
    'Created Started Failed Killing Preempting BackOff ExceededGracePeriod FailedKillPod FailedCreatePodContainer NetworkNotReady FailedPostStartHook FailedPreStopHook UnfinishedPreStopHook SandboxChanged FailedCreatePodSandBox FailedPodSandBoxStatus FailedSync FailedValidation Unhealthy ProbeWarning FailedPrepareDynamicResources',
  'kubelet, images':
    'Pulling Pulled InspectFailed ErrImageNeverPull ErrImagePull ImagePullBackOff InvalidImageName ImageInspectError RegistryUnavailable SignatureValidationFailed',
  'kubelet, nodes':
    'NodeReady NodeNotReady NodeSchedulable NodeNotSchedulable Starting KubeletSetupFailed Rebooted ContainerGCFailed ImageGCFailed FailedNodeAllocatableEnforcement NodeAllocatableEnforced InvalidDiskCapacity FreeDiskSpaceFailed OutOfDisk HostPortConflict NodeSelectorMismatching InsufficientFreeCPU InsufficientFreeMemory HostNetworkNotSupported NilShaper EvictionThresholdMet SystemOOM CgroupV1 Shutdown PossibleMemoryBackedVolumesOnDisk',
  'kubelet, volumes':
    'FailedAttachVolume FailedDetachVolume FailedMount FailedUnMount FailedMapVolume FailedUnmapDevice VolumeResizeFailed VolumeResizeSuccessful FileSystemResizeFailed FileSystemResizeSuccessful AlreadyMountedVolume SuccessfulAttachVolume SuccessfulMountVolume SuccessfulDetachVolume SuccessfulUnMountVolume FailedMountOnFilesystemMismatch UnsupportedMountOption',
  'conditions of nodes':
    'KubeletReady KubeletNotReady KubeletHasSufficientMemory KubeletHasInsufficientMemory KubeletHasNoDiskPressure KubeletHasDiskPressure KubeletHasSufficientPID KubeletHasInsufficientPID NodeStatusUnknown NodeStatusNeverUpdated RouteCreated NoRouteCreated NodeHasSufficientMemory NodeHasInsufficientMemory NodeHasNoDiskPressure NodeHasDiskPressure NodeHasSufficientPID NodeHasInsufficientPID RegisteredNode RemovingNode DeletingNode',
  'containers that wait or ended':
    'ContainerCreating PodInitializing CrashLoopBackOff CreateContainerConfigError CreateContainerError RunContainerError PreCreateHookError PreStartHookError PostStartHookError Completed Error OOMKilled ContainerCannotRun StartError ContainerStatusUnknown',
  'conditions of pods':
    'Unschedulable SchedulingGated SchedulerError TerminationByKubelet PreemptionByScheduler DeletionByTaintManager EvictionByEvictionAPI DeletionByPodGC ContainersNotReady ReadinessGatesNotReady PodCompleted PodFailed Deferred Infeasible ResizeStarted ResizeCompleted ResizeDeferred ResizeInfeasible ResizeError',
  'why pods are refused or end':
    'Evicted NodeLost NodeShutdown Terminated NodeAffinity UnexpectedAdmissionError OutOfcpu OutOfmemory OutOfpods OutOfephemeral-storage SysctlForbidden AppArmor PodOSNotSupported PodOSSelectorNodeLabelDoesNotMatch TaintManagerEviction',
  scheduler: 'Scheduled FailedScheduling Preempted WaitingForGates TriggeredScaleUp NotTriggerScaleUp',
  'persistent volumes':
    'FailedBinding VolumeMismatch VolumeFailedRecycle RecyclerPod VolumeRecycled VolumeDelete VolumeFailedDelete ExternalProvisioning ProvisioningFailed ProvisioningCleanupFailed ProvisioningSucceeded WaitForFirstConsumer WaitForPodScheduled ExternalExpanding',
  deployments:
    'NewReplicaSetCreated FoundNewReplicaSet ReplicaSetUpdated ReplicaSetCreateError NewReplicaSetAvailable ProgressDeadlineExceeded DeploymentPaused DeploymentResumed DeploymentRollback MinimumReplicasAvailable MinimumReplicasUnavailable ScalingReplicaSet FailedCreate SuccessfulCreate FailedDelete SuccessfulDelete',
  'stateful and daemon sets':
    'RecreatingFailedPod RecreatingTerminatedPod SuccessfulUpdate FailedUpdate FailedDaemonPod SucceededDaemonPod FailedPlacement SelectingAll',
  jobs: 'PodFailurePolicy BackoffLimitExceeded DeadlineExceeded MaxFailedIndexesExceeded FailedIndexes SuccessPolicy CompletionsReached Suspended Resumed TooManyMissedTimes FailedNeedsStart MissSchedule JobAlreadyActive SawCompletedJob UnexpectedJob MissingJob InvalidSchedule UnparseableSchedule UnknownTimeZone FailedGet',
  scalers:
    'SuccessfulRescale FailedRescale SucceededRescale SucceededGetScale FailedGetScale FailedUpdateScale ReadyForNewScale ScaleDownStabilized ScaleUpStabilized ValidMetricFound FailedGetResourceMetric FailedGetPodsMetric FailedGetObjectMetric FailedGetExternalMetric FailedGetContainerResourceMetric FailedComputeMetricsReplicas InvalidMetricSourceType InvalidSelector AmbiguousSelector TooManyReplicas TooFewReplicas DesiredWithinRange ScalingDisabled',
  'kubelet, since':
    'FailedNodeDeclaredFeaturesCheck VolumePermissionChangeInProgress ResizeStarted ResizeCompleted ResizeDeferred ResizeInfeasible ResizeError FailedToRetrieveImagePullSecret InvalidEnvironmentVariableNames DNSConfigForming CheckLimitsForResolvConf MissingClusterDNS VolumeConditionAbnormal',
  'errors of containers and sandboxes':
    'RunContainerError KillContainerError VerifyNonRootError RunInitContainerError CreatePodSandboxError ConfigPodSandboxError KillPodSandboxError ResizePodInPlaceError PreCreateHookError PreStartHookError PostStartHookError CreateContainerConfigError CreateContainerError ImageVolumeMountFailed',
  'what the kubelet refuses':
    'InvalidNodeInfo InitContainerRestartPolicyForbidden SupplementalGroupsPolicyNotSupported UnexpectedAdmissionError UnexpectedPredicateFailureType UnknownReason NodeAffinity NodeName NodePorts TaintToleration SysctlForbidden AppArmor TopologyAffinityError SMTAlignmentError PodLevelResourcesNotSupported PodFeatureUnsupported PodOSNotSupported PodOSSelectorNodeLabelDoesNotMatch NodeShutdown VolumeAttachmentLimitExceeded Evicted',
  'more conditions of pods': 'ContainersNotInitialized UnknownContainerStatuses RestartingAllContainers',
  'controllers of nodes, routes and addresses':
    'NodeControllerEviction DeletingAllPods TerminatingEvictedPod CancelDeletingNode CIDRNotAvailable CIDRAssignmentFailed FailedToCreateRoute FailedToStartProxierHealthcheck FailedToStartMetricServer Synced',
  'node problem detector':
    'KernelHasNoDeadlock FilesystemIsNotReadOnly FilesystemIsReadOnly KernelOops TaskHung DockerHung OOMKilling ContainerdStart DockerStart KubeletStart',
  'cluster autoscaler':
    'TriggeredScaleUp NotTriggerScaleUp ScaledUpGroup FailedToScaleUpGroup ScaleUpTimedOut ScaleDown ScaleDownEmpty ScaleDownFailed',
  'claims and changes of volumes':
    'ClaimLost ClaimMisbound FileSystemResizeRequired Resizing VolumeModify VolumeModifyFailed VolumeModifySuccessful FailedResourceClaimCreation',
  'more of workloads':
    'DeploymentRollbackRevisionNotFound DeploymentRollbackTemplateUnchanged SelectorRequired FailedConvertHPA FailedUpdateStatus JobSuspended JobResumed FailedList TooManyActivePods TooManySucceededPods MultiplePodDisruptionBudgets SyncFailed NoControllers',
  'services and their addresses':
    'CreatingLoadBalancerFailed UpdateLoadBalancerFailed LoadBalancerUpdateFailed DeletingLoadBalancerFailed FailedToListPods ClusterIPNotValid ClusterIPOutOfRange ClusterIPNotAllocated ClusterIPAlreadyAllocated IPAddressNotAllocated PortNotAllocated PortOutOfRange PortAlreadyAllocated ServiceCIDRFull',
  'parts of the API, and namespaces':
    'FailedDiscoveryCheck MissingEndpoints EndpointsNotFound ServiceNotFound ServicePortError Passed Local DiscoveryFailed ResourcesDiscovered GroupVersionParsingFailed ParsedGroupVersions ContentDeletionFailed ContentDeleted SomeResourcesRemain SomeFinalizersRemain ContentHasNoFinalizers OwnerRefInvalidNamespace',
  'budgets and services':
    'NoPods SufficientPods InsufficientPods DisruptionAllowed CalculateExpectedPodCountFailed FailedToCreateEndpoint FailedToUpdateEndpoint FailedToCreateEndpointSlices FailedToUpdateEndpointSlices EnsuringLoadBalancer EnsuredLoadBalancer UpdatedLoadBalancer DeletingLoadBalancer DeletedLoadBalancer SyncLoadBalancerFailed UnAvailableLoadBalancer LoadBalancerSourceRanges',
};

describe('reasons that are published', () => {
  it.each(Object.entries(published))('%s', (_, names) => {
    // `Failed` says what of in its message.
    const all = names.split(' ').filter((name) => name !== 'Failed');
    expect(all.filter((name) => !Object.hasOwn(reasons, name) && !routineReasons.has(name))).toEqual([]);
  });
  it('none is both', () => {
    expect(Object.keys(reasons).filter((name) => routineReasons.has(name))).toEqual([]);
  });
});

it.each([
  ['Failed', 'Failed to pull image "api:7": manifest unknown', 'root'],
  ['FailedScheduling', '0/5 nodes are available: 5 Insufficient cpu', 'root'],
  ['Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', 'effect'],
  ['NodeReady', 'Node n7 status is now: NodeReady', 'good'],
  ['OutOfnvidia.com/gpu', 'Node did not have enough resource: nvidia.com/gpu', 'root'],
  ['VolumeAttachmentLimitExceeded', 'Node has insufficient volume attachment capacity', 'root'],
  ['ServiceCIDRFull', 'Service CIDR 10.96.0.0/24 is full', 'root'],
  ['CIDRAssignmentFailed', 'Node n7 status is now: CIDRAssignmentFailed', 'root'],
  ['FailedDiscoveryCheck', 'failing or missing response from https://10.0.0.9:443/apis', 'effect'],
])('%s: %s is a %s', (reason, message, role) => {
  expect(findCondition(reason, message)).toMatchObject({ role });
});
it.each([
  ['Pulled', 'Successfully pulled image that was evicted before'],
  ['SuccessfulRescale', 'New size: 20; reason: cpu resource utilization above target'],
  ['FileSystemResizeRequired', 'Require file system resize of volume on node'],
  ['VolumePermissionChangeInProgress', 'Setting volume ownership is taking longer than expected'],
  ['ScaleDownEmpty', 'Scale-down: removing empty node n7'],
  ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
  ['Scheduled', 'Successfully assigned shop/api-1 to n7'],
])('%s is routine, whatever its message holds', (reason, message) => {
  expect(findCondition(reason, message)).toBeNull();
});
