export { callAction } from "./action.js";
export { sendBatch } from "./batch.js";
export { exportRows } from "./export.js";
export { importFile } from "./import.js";
export { listRequest } from "./query.js";
export { updateBy } from "./updateBy.js";
export { walkRows } from "./walk.js";
export { webhookCalls } from "./webhooks.js";
