export type { UndiciTransportOptions } from "./webhooks/undiciTransport.js";
export { undiciTransport } from "./webhooks/undiciTransport.js";
