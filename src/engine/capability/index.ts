export type { RequestCount } from "../operation/answers/requestCount.js";
export type { ApiOf, Capability, Closable, CrossOrigin, Dependency, OpenCapability } from "./capability.js";
export type { Destination, Host } from "./host.js";
