import { onDemand } from "../../../ground/onDemand/onDemand.js";

/** What shows related rows. A service whose resources have relations loads it as it starts. */
export const loadInclude = /* @__PURE__ */ onDemand(() => import("./include.js"));

/** What finds rows by conditions on related rows. */
export const loadRelatedKeys = /* @__PURE__ */ onDemand(() => import("./relatedKeys.js"));

/** What serves rows below their parents. */
export const loadBelowParents = /* @__PURE__ */ onDemand(() => import("./belowParents.js"));
