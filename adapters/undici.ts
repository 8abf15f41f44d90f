export type { UndiciTransportOptions } from "./undici/undiciTransport.js";
export { undiciTransport } from "./undici/undiciTransport.js";
