import { onDemand } from "../../../ground/onDemand/onDemand.js";

/** What seals and opens tickets: few services give any. */
export const loadTickets = /* @__PURE__ */ onDemand(() => import("./tickets.js"));
