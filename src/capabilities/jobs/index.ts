export type { JobCall } from "../../engine/operation/work/runningJob.js";
export type { JobAdvance, JobEnd } from "../../ground/storage/queue/jobs.js";
export { type JobOptions, jobs } from "./capability.js";
export type { JobHandler } from "./run/handler.js";
export { type JobSettings, jobsOf } from "./settings.js";
