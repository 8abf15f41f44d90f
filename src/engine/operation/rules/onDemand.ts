import { onDemand } from "../../../ground/onDemand/onDemand.js";

/** Scopes and stamps. A service whose collections have some loads it before its first request. */
export const loadScoping = /* @__PURE__ */ onDemand(() => import("./scoping.js"));
