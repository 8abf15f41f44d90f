export { callAction } from "./calls/action.js";
export { sendBatch } from "./calls/batch.js";
export { exportRows } from "./calls/export.js";
export { importFile } from "./calls/import.js";
export { updateBy } from "./calls/updateBy.js";
export { walkRows } from "./calls/walk.js";
export { listRequest } from "./query.js";
export { webhookCalls } from "./webhooks.js";

/** What follows rows, which most pages do not need. */
export const following = () => import("./following.js");
