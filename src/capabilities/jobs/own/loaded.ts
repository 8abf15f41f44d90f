export { Scheduler } from "../schedules/scheduler.js";
export { compileJobs } from "./compile.js";
export { enqueueAlone, enqueueWithin } from "./enqueue.js";
export { runOwn } from "./ownHandler.js";
