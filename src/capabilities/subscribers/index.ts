export type { EmittedEvent } from "../../engine/operation/write/rowEvents.js";
export { ConfigurationError, type ProblemCode, ProblemError, type ProblemItem } from "../../ground/problem/index.js";
export type { KnownSubscriber, Task, TaskState } from "../../ground/storage/queue/subscribers.js";
export type { EmitEvent } from "../events/serviceEvents.js";
export type { EventHandler, HandledEvent, HandlerCall, LoggedTask, ReplayQuery, SubscriberApi, SubscriberLog, SubscriberQuery } from "./api.js";
export { subscribers } from "./capability.js";
export type { DeadEnd, SubscriberOptions, SubscribersOptions } from "./options.js";
