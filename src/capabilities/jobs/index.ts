export type { EnqueuedJob, EnqueueOptions } from "../../engine/operation/work/enqueuing.js";
export type { JobCall } from "../../engine/operation/work/runningJob.js";
export type { JobAdvance, JobEnd, JobState } from "../../ground/storage/queue/jobs.js";
export { type JobOptions, jobs } from "./capability.js";
export type { JobApi, ScheduleState, ServiceJobs, ServiceSchedules } from "./own/api.js";
export { type Checkpoint, type JobDefinition, type JobDefinitions, type JobRun, type JobShop, type JobTransaction, job } from "./own/definition.js";
export type { JobHandler } from "./run/handler.js";
export type { Schedule } from "./schedules/schedule.js";
export { type JobSettings, jobsOf } from "./settings.js";
