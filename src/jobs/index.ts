export type { JobCall } from "../operation/work/runningJob.js";
export type { JobAdvance, JobEnd } from "../storage/jobs.js";
export { type JobOptions, jobs } from "./capability.js";
export type { JobHandler } from "./handler.js";
export { type JobSettings, jobsOf } from "./settings.js";
