/**
 * The states of Kubernetes objects: reasons of containers, pods, nodes, workloads, volumes and of their events, as its
 * documentation and its sources list them (events of the kubelet, the scheduler, the controllers and the cluster
 * autoscaler; conditions of core/v1, apps/v1, batch/v1, autoscaling/v2; what the kubelet refuses).
 */
import type { Condition } from './condition.ts';
import { routineReasons } from './kubernetes-routine.ts';

const root = (
  name: string,
  category: Condition['category'],
  remedy: string,
  resource?: Condition['resource'],
  bringsAbout?: RegExp,
): Condition => ({
  name,
  category,
  role: 'root',
  remedy,
  ...(resource && { resource }),
  ...(bringsAbout && { bringsAbout }),
});
const effect = (name: string, category: Condition['category'], remedy: string): Condition => ({
  name,
  category,
  role: 'effect',
  remedy,
});
const good = (name: string): Condition => ({ name, category: 'healthy', role: 'good', remedy: '' });

const image = root(
  'an image that cannot be pulled',
  'configuration_error',
  'Correct the image, its tag or the secret for the registry.',
);
const created = root(
  'a container that cannot be made',
  'configuration_error',
  'Correct what its specification names: secrets, config maps, commands.',
);
const memory = root(
  'a container at its limit of memory',
  'resource_exhaustion',
  'Raise its limit of memory, or find what takes it.',
  'memory',
);
const evicted = root(
  'pods evicted for want of room on their node',
  'resource_exhaustion',
  'Give the node room, and set requests that say what pods need.',
);
const node = root(
  'a node that is not ready',
  'infrastructure',
  'Drain the node and look at its kubelet; move what ran there.',
  undefined,
  /^(pods evicted|pods that fit on no node|a probe that fails|a container that ended)/,
);
const volume = root(
  'a volume that is not there',
  'infrastructure',
  'Look at the claim, its class and where the volume is attached.',
);
const network = root('the network of pods', 'infrastructure', 'Look at the network plugin of the node.');
export const placing = root(
  'pods that fit on no node',
  'resource_exhaustion',
  'Add nodes, or lower what the pods ask for.',
);
const refused = root(
  'pods that may not be made',
  'configuration_error',
  'Look at the quota, the admission rules and the rights of the controller.',
);
const quota = root('a quota that was met', 'resource_exhaustion', 'Raise the quota, or lower what uses it.');
const disk = root(
  'a node without room on its disk',
  'storage_exhaustion',
  'Free the disk of the node: images, logs, what pods write.',
  'storage',
  /^(pods evicted|pods that fit on no node|a probe that fails|a container that ended)/,
);
const scaling = effect(
  'a scaler without its numbers',
  'configuration_error',
  'Look at the source of the metrics that it scales by.',
);
const crash = effect(
  'a container that ends again and again',
  'code_defect',
  'Read the log of the container before its last end.',
);
const probe = effect(
  'a probe that fails',
  'unknown',
  'Ask the address of the probe by hand; look what the container waits for.',
);
const rollout = effect(
  'a rollout that does not go on',
  'configuration_error',
  'Roll back, and look why the new pods are not ready.',
);
const job = effect('a job that failed', 'code_defect', 'Read the log of its last pod.');
const pushed = root(
  'pods pushed out by others that matter more',
  'resource_exhaustion',
  'Look at the priorities, and add nodes.',
);
const schedule = effect(
  'a schedule that was missed or cannot be read',
  'configuration_error',
  'Look at the schedule, its time zone and its last runs.',
);
const endpoints = root(
  'a service without its endpoints',
  'infrastructure',
  'Look at the selector of the service, and at the pods that it means.',
);
const processes = root(
  'a node with too many processes',
  'resource_exhaustion',
  'Find what starts them, and set a limit of processes.',
);
const names = root(
  'the names of a cluster',
  'configuration_error',
  'Look at the DNS settings of the kubelet and at resolv.conf of the node.',
);
const balancer = root(
  'a load balancer that cannot be made',
  'infrastructure',
  'Look at the rights and the quota of the account.',
);
const apis = effect(
  'a part of the API that does not answer',
  'infrastructure',
  'Look at the program behind that APIService.',
);
const ended = effect('a container that ended with an error', 'code_defect', 'Read its log.');

export const reasons: Readonly<Record<string, Condition>> = {
  // Waiting containers (kubelet/images, kubelet/container).
  ImagePullBackOff: image,
  ErrImagePull: image,
  ErrImageNeverPull: image,
  InvalidImageName: image,
  ImageInspectError: image,
  RegistryUnavailable: image,
  SignatureValidationFailed: image,
  CreateContainerConfigError: created,
  CreateContainerError: created,
  RunContainerError: created,
  ContainerCannotRun: created,
  StartError: created,
  PreCreateHookError: created,
  PreStartHookError: created,
  PostStartHookError: created,
  FailedPostStartHook: created,
  FailedPreStopHook: ended,
  UnfinishedPreStopHook: ended,
  ExceededGracePeriod: ended,
  InspectFailed: image,
  FailedCreatePodContainer: created,
  FailedPrepareDynamicResources: created,
  CrashLoopBackOff: crash,
  KillContainerError: ended,
  KillPodSandboxError: network,
  ConfigPodSandboxError: network,
  VerifyNonRootError: created,
  RunInitContainerError: created,
  FailedResourceClaimCreation: created,
  FailedToRetrieveImagePullSecret: effect(
    'a secret for the registry that is not there',
    'configuration_error',
    'Make the secret, or take its name out of the specification.',
  ),
  InvalidEnvironmentVariableNames: created,
  ImageVolumeMountFailed: volume,
  ResizePodInPlaceError: placing,
  // Terminated containers.
  OOMKilled: memory,
  OOMKilling: memory,
  SystemOOM: root(
    'a node out of memory',
    'resource_exhaustion',
    'Lower what runs on the node, or give it more memory.',
    'memory',
  ),
  Error: ended,
  ContainerStatusUnknown: node,
  // Pods.
  Evicted: evicted,
  Preempted: pushed,
  Preempting: pushed,
  PreemptionByScheduler: pushed,
  NodeLost: node,
  NodeShutdown: node,
  Shutdown: node,
  NodeAffinity: placing,
  Unschedulable: placing,
  FailedScheduling: placing,
  OutOfcpu: placing,
  OutOfmemory: placing,
  OutOfpods: placing,
  'OutOfephemeral-storage': disk,
  UnexpectedAdmissionError: refused,
  DeletionByTaintManager: node,
  TaintManagerEviction: node,
  TerminationByKubelet: evicted,
  DeadlineExceeded: job,
  BackoffLimitExceeded: job,
  PodFailurePolicy: job,
  TooManyMissedTimes: job,
  FailedValidation: created,
  MaxFailedIndexesExceeded: job,
  FailedIndexes: job,
  PodFailed: ended,
  ReadinessGatesNotReady: probe,
  SchedulerError: placing,
  NotTriggerScaleUp: placing,
  NodeSelectorMismatching: placing,
  InsufficientFreeCPU: placing,
  InsufficientFreeMemory: placing,
  HostPortConflict: placing,
  Infeasible: placing,
  Deferred: placing,
  ResizeInfeasible: placing,
  ResizeDeferred: placing,
  ResizeError: placing,
  HostNetworkNotSupported: refused,
  SysctlForbidden: refused,
  AppArmor: refused,
  PodOSNotSupported: placing,
  PodOSSelectorNodeLabelDoesNotMatch: placing,
  FailedKillPod: node,
  FailedSync: ended,
  // What the kubelet refuses when a pod arrives.
  InvalidNodeInfo: node,
  InitContainerRestartPolicyForbidden: refused,
  SupplementalGroupsPolicyNotSupported: refused,
  PodLevelResourcesNotSupported: refused,
  PodFeatureUnsupported: refused,
  FailedNodeDeclaredFeaturesCheck: refused,
  UnexpectedPredicateFailureType: refused,
  UnknownReason: refused,
  TopologyAffinityError: placing,
  SMTAlignmentError: placing,
  NodePorts: placing,
  NodeName: placing,
  TaintToleration: placing,
  VolumeAttachmentLimitExceeded: placing,
  UnknownContainerStatuses: node,
  ContainersNotInitialized: probe,
  // Sandboxes and volumes.
  FailedCreatePodSandBox: network,
  FailedPodSandBoxStatus: network,
  NetworkNotReady: network,
  NetworkUnavailable: network,
  CIDRNotAvailable: network,
  CreatePodSandboxError: network,
  FailedMount: volume,
  FailedAttachVolume: volume,
  FailedDetachVolume: volume,
  FailedMapVolume: volume,
  FailedBinding: volume,
  ProvisioningFailed: volume,
  VolumeMismatch: volume,
  VolumeResizeFailed: volume,
  FileSystemResizeFailed: volume,
  FailedUnMount: volume,
  FailedUnmapDevice: volume,
  FailedMountOnFilesystemMismatch: volume,
  UnsupportedMountOption: volume,
  VolumeFailedRecycle: volume,
  VolumeFailedDelete: volume,
  ProvisioningCleanupFailed: volume,
  ClaimLost: volume,
  ClaimMisbound: volume,
  VolumeConditionAbnormal: volume,
  VolumeModifyFailed: volume,
  FailedAttachDetach: volume,
  // Nodes.
  NodeNotReady: node,
  KubeletNotReady: node,
  NodeStatusUnknown: node,
  NodeStatusNeverUpdated: node,
  NoRouteCreated: network,
  FailedToCreateRoute: network,
  CIDRAssignmentFailed: network,
  CloudCIDRNotAvailable: network,
  NodeControllerEviction: node,
  DeletingAllPods: node,
  FailedToStartProxierHealthcheck: network,
  FailedToStartMetricServer: network,
  MissingClusterDNS: names,
  DNSConfigForming: names,
  CheckLimitsForResolvConf: names,
  KubeletSetupFailed: node,
  NilShaper: network,
  OutOfDisk: disk,
  FailedNodeAllocatableEnforcement: node,
  Rebooted: root('a node that restarted', 'infrastructure', 'Look why the machine restarted.'),
  MemoryPressure: evicted,
  KubeletHasInsufficientMemory: evicted,
  NodeHasInsufficientMemory: evicted,
  DiskPressure: disk,
  KubeletHasDiskPressure: disk,
  NodeHasDiskPressure: disk,
  EvictionThresholdMet: evicted,
  FreeDiskSpaceFailed: disk,
  ImageGCFailed: disk,
  ContainerGCFailed: disk,
  InvalidDiskCapacity: disk,
  PIDPressure: processes,
  NodeHasInsufficientPID: processes,
  KubeletHasInsufficientPID: processes,
  KernelDeadlock: node,
  FilesystemIsReadOnly: node,
  KernelOops: node,
  TaskHung: node,
  DockerHung: node,
  ContainerdUnhealthy: node,
  KubeletUnhealthy: node,
  ConntrackFull: root(
    'a node whose table of connections is full',
    'connection_exhaustion',
    'Raise nf_conntrack_max, or find who opens so many.',
    'connections',
  ),
  ReadonlyFilesystem: node,
  // Workloads.
  ProgressDeadlineExceeded: rollout,
  ReplicaSetCreateError: refused,
  DeploymentRollbackRevisionNotFound: rollout,
  FailedCreate: refused,
  ReplicaFailure: refused,
  MinimumReplicasUnavailable: effect(
    'fewer replicas than are wanted',
    'unknown',
    'Look why the pods are not ready.',
  ),
  FailedRescale: scaling,
  FailedGetScale: scaling,
  FailedGetResourceMetric: scaling,
  FailedComputeMetricsReplicas: scaling,
  FailedUpdateScale: scaling,
  FailedGetPodsMetric: scaling,
  FailedGetObjectMetric: scaling,
  FailedGetExternalMetric: scaling,
  FailedGetContainerResourceMetric: scaling,
  InvalidMetricSourceType: scaling,
  InvalidSelector: scaling,
  AmbiguousSelector: scaling,
  SelectorRequired: scaling,
  FailedConvertHPA: scaling,
  FailedUpdateStatus: scaling,
  FailedToScaleUpGroup: placing,
  ScaleUpTimedOut: placing,
  ScaleDownFailed: effect(
    'a node that could not be taken away',
    'unknown',
    'Look at the message of the autoscaler.',
  ),
  FailedDelete: refused,
  FailedUpdate: refused,
  FailedDaemonPod: ended,
  FailedPlacement: placing,
  SelectingAll: refused,
  FailedNeedsStart: schedule,
  MissSchedule: schedule,
  MissingJob: schedule,
  UnexpectedJob: schedule,
  InvalidSchedule: schedule,
  UnparseableSchedule: schedule,
  UnknownTimeZone: schedule,
  FailedGet: schedule,
  FailedList: schedule,
  TooManyActivePods: job,
  TooManySucceededPods: job,
  FailedToCreateEndpoint: endpoints,
  FailedToUpdateEndpoint: endpoints,
  FailedToCreateEndpointSlices: endpoints,
  FailedToUpdateEndpointSlices: endpoints,
  UnAvailableLoadBalancer: endpoints,
  FailedToListPods: endpoints,
  FailedToListEndpointSlices: endpoints,
  FailedToDeleteEndpoint: endpoints,
  ClusterIPNotValid: endpoints,
  ClusterIPOutOfRange: endpoints,
  ClusterIPNotAllocated: endpoints,
  ClusterIPAlreadyAllocated: endpoints,
  PortNotAllocated: endpoints,
  PortOutOfRange: endpoints,
  PortAlreadyAllocated: endpoints,
  ServiceCIDRFull: endpoints,
  // Programs that answer for a part of the API, and namespaces that cannot be deleted without them.
  FailedDiscoveryCheck: apis,
  MissingEndpoints: apis,
  EndpointsNotFound: apis,
  ServiceNotFound: apis,
  ServicePortError: apis,
  DiscoveryFailed: apis,
  GroupVersionParsingFailed: apis,
  ContentDeletionFailed: apis,
  OwnerRefInvalidNamespace: apis,
  InsufficientPods: effect(
    'fewer pods than a budget asks for',
    'unknown',
    'Look why the pods are not ready.',
  ),
  CalculateExpectedPodCountFailed: scaling,
  MultiplePodDisruptionBudgets: scaling,
  SyncFailed: scaling,
  NoControllers: scaling,
  TooManyReplicas: root(
    'a scaler at its upper limit',
    'application_tier_load_spike',
    'Raise the most replicas, or find why so much is asked for.',
  ),
  QuotaExceeded: quota,
  'exceeded quota': quota,
  SyncLoadBalancerFailed: balancer,
  CreatingLoadBalancerFailed: balancer,
  UpdateLoadBalancerFailed: balancer,
  LoadBalancerUpdateFailed: balancer,
  DeletingLoadBalancerFailed: balancer,
  Unhealthy: probe,
  ProbeWarning: probe,
  BackOff: crash,
  ContainersNotReady: probe,
  // Recovered.
  NodeReady: good('a node that is ready'),
  KubeletReady: good('a node that is ready'),
  DeploymentRollback: good('a rollout that was taken back'),
  DeploymentRollbackRevisionFound: good('a rollout that was taken back'),
  NewReplicaSetAvailable: good('a rollout that is done'),
  MinimumReplicasAvailable: good('as many replicas as are wanted'),
  VolumeResizeSuccessful: good('a volume that was made larger'),
  FileSystemResizeSuccessful: good('a volume that was made larger'),
  VolumeModifySuccessful: good('a volume that was changed'),
};

/** Patterns of messages, for reasons with several meanings. */
const byMessage: readonly (readonly [shape: RegExp, condition: Condition])[] = [
  [
    /\b(ErrImagePull|ImagePullBackOff|pull image|manifest unknown|repository does not exist|pulling image)\b/i,
    image,
  ],
  [/couldn't find key|(configmap|secret) "?[\w.-]+"? not found|env(ironment)? var/i, created],
  [/exceeded quota/i, quota],
  [/\boom|out of memory/i, memory],
  [/insufficient (cpu|memory|pods|ephemeral)|didn't match|taint|no nodes available/i, placing],
  [/node (was )?low on resource|evict/i, evicted],
];

/** The state that an event reports; null for routine events. The message decides for `Failed` and similar reasons. */
export function findCondition(reason: string, message: string): Condition | null {
  // A `Killing` event is kept, since it gives the reason.
  if (routineReasons.has(reason) && reason !== 'Killing') return null;
  // The pod was drained, or its machine is being removed: the node had room.
  if (reason === 'Evicted' && /^evicted pod\b|drain|preempt|spot|interruption/i.test(message)) return null;
  // The kubelet writes `OutOf` before whatever a node lacks: `OutOfnvidia.com/gpu`.
  const lacks = /^OutOf[a-z]/.test(reason) ? placing : null;
  const known = Object.hasOwn(reasons, reason) ? reasons[reason]! : lacks;
  if (known !== null && known.role !== 'effect') return known;
  if (known === null && !/^(Failed|FailedSync|Killing|Warning)$/.test(reason)) return null;
  return byMessage.find(([shape]) => shape.test(message))?.[1] ?? known;
}
