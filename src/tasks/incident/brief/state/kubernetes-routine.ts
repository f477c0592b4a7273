/** Reasons of routine Kubernetes events: objects created, scheduled, moved, or waiting for their turn. */
export const routine: ReadonlySet<string> = new Set(
  // Containers and pods.
  (
    'Created Started Pulling Pulled Completed PodCompleted ContainerCreating PodInitializing Killing Starting ' +
    'SandboxChanged AlreadyMountedVolume Scheduled SchedulingGated WaitingForGates EvictionByEvictionAPI DeletionByPodGC ' +
    'TriggeredScaleUp NominatedNodeName ResizeStarted ResizeCompleted Terminated ' +
    // Volumes.
    'SuccessfulAttachVolume SuccessfulMountVolume SuccessfulDetachVolume SuccessfulUnMountVolume RecyclerPod VolumeRecycled ' +
    'VolumeDelete ExternalProvisioning ProvisioningSucceeded Provisioning WaitForFirstConsumer WaitForPodScheduled ' +
    'ExternalExpanding Resizing ' +
    // Nodes.
    'NodeSchedulable NodeNotSchedulable KubeletHasSufficientMemory KubeletHasNoDiskPressure KubeletHasSufficientPID ' +
    'NodeHasSufficientMemory NodeHasNoDiskPressure NodeHasSufficientPID NodeAllocatableEnforced RouteCreated RegisteredNode ' +
    'RemovingNode DeletingNode CgroupV1 PossibleMemoryBackedVolumesOnDisk ' +
    // Workloads.
    'ScalingReplicaSet NewReplicaSetCreated FoundNewReplicaSet ReplicaSetUpdated DeploymentPaused DeploymentResumed ' +
    'SuccessfulCreate SuccessfulDelete SuccessfulUpdate SucceededDaemonPod RecreatingFailedPod RecreatingTerminatedPod ' +
    'CompletionsReached SuccessPolicy Suspended Resumed JobAlreadyActive SawCompletedJob ' +
    // Scalers, budgets, services.
    'SuccessfulRescale SucceededRescale SucceededGetScale ReadyForNewScale ScaleDownStabilized ScaleUpStabilized ' +
    'ValidMetricFound DesiredWithinRange TooFewReplicas ScalingDisabled SufficientPods DisruptionAllowed NoPods ' +
    'EnsuringLoadBalancer EnsuredLoadBalancer UpdatedLoadBalancer DeletingLoadBalancer DeletedLoadBalancer ' +
    'LoadBalancerSourceRanges LeaderElection'
  ).split(' '),
);
