export { type OpenTelemetryOptions, openTelemetry } from "./capability.js";
