/** Reasons of routine Kubernetes events: objects created, scheduled, moved, or waiting for their turn. */
export const routineReasons: ReadonlySet<string> = new Set(
  // Containers and pods.
  (
    'Created Started Pulling Pulled Completed PodCompleted ContainerCreating PodInitializing Killing Starting ' +
    'SandboxChanged AlreadyMountedVolume Scheduled SchedulingGated WaitingForGates EvictionByEvictionAPI DeletionByPodGC ' +
    'TriggeredScaleUp NominatedNodeName ResizeStarted ResizeCompleted Terminated RestartingAllContainers ' +
    // Volumes.
    'SuccessfulAttachVolume SuccessfulMountVolume SuccessfulDetachVolume SuccessfulUnMountVolume RecyclerPod VolumeRecycled ' +
    'VolumeDelete ExternalProvisioning ProvisioningSucceeded Provisioning WaitForFirstConsumer WaitForPodScheduled ' +
    'ExternalExpanding Resizing FileSystemResizeRequired VolumePermissionChangeInProgress VolumeModify VolumeModifyCancelled ' +
    'VolumeResizeSuccess SnapshotCreated SnapshotReady ' +
    // Nodes.
    'NodeSchedulable NodeNotSchedulable KubeletHasSufficientMemory KubeletHasNoDiskPressure KubeletHasSufficientPID ' +
    'NodeHasSufficientMemory NodeHasNoDiskPressure NodeHasSufficientPID NodeAllocatableEnforced RouteCreated RegisteredNode ' +
    'RemovingNode DeletingNode CgroupV1 PossibleMemoryBackedVolumesOnDisk CIDRAssigned Synced KernelHasNoDeadlock ' +
    'FilesystemIsNotReadOnly CancelDeletingNode TerminatingEvictedPod ScaleDown ScaleDownEmpty ScaledUpGroup ' +
    'ContainerdStart DockerStart KubeletStart NodeSchedulingDisabled ' +
    // Workloads.
    'ScalingReplicaSet NewReplicaSetCreated FoundNewReplicaSet ReplicaSetUpdated DeploymentPaused DeploymentResumed ' +
    'SuccessfulCreate SuccessfulDelete SuccessfulUpdate SucceededDaemonPod RecreatingFailedPod RecreatingTerminatedPod ' +
    'CompletionsReached SuccessPolicy Suspended Resumed JobSuspended JobResumed JobAlreadyActive SawCompletedJob ' +
    'DeploymentRollbackTemplateUnchanged ' +
    // Scalers, budgets, services.
    'SuccessfulRescale SucceededRescale SucceededGetScale ReadyForNewScale ScaleDownStabilized ScaleUpStabilized ' +
    'ValidMetricFound DesiredWithinRange TooFewReplicas ScalingDisabled SufficientPods DisruptionAllowed NoPods ' +
    'EnsuringLoadBalancer EnsuredLoadBalancer UpdatedLoadBalancer DeletingLoadBalancer DeletedLoadBalancer ' +
    'LoadBalancerSourceRanges LeaderElection LoadbalancerIP ExternalIP Type CreatedLoadBalancer CreatingLoadBalancer ' +
    'IPAddressNotAllocated IPAddressWrongReference UnmanagedPods ' +
    // Parts of the API, and namespaces on their way out.
    'Passed Local ContentDeleted ContentRemoved ContentHasNoFinalizers SomeResourcesRemain SomeFinalizersRemain ' +
    'ResourcesDiscovered ParsedGroupVersions'
  ).split(' '),
);
