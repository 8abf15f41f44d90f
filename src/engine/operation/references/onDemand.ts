import { onDemand } from "../../../ground/onDemand/onDemand.js";

/** What enforces foreign keys. A service whose collections have some loads it before its first request. */
export const loadEnforcement = /* @__PURE__ */ onDemand(() => import("./enforcement.js"));
