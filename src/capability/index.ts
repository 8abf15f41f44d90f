export type { ApiOf, Capability, Closable, Dependency, OpenCapability } from "./capability.js";
export type { Destination, Host } from "./host.js";
