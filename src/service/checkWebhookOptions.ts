import { ConfigurationError } from "../problem/index.js";
import type { WebhookOptions } from "./options.js";

const smallestEventBytes = 1_024;
const [shortestSecret, longestSecret] = [8, 256];

/**
 * Refuses numbers that would only show later that they cannot work.
 *
 * @throws {ConfigurationError}
 */
export function checkWebhookOptions(options: WebhookOptions): void {
  const { minimumSecretCharacters, scheduleMs, maxPerTenant, eventBytes, disableAfter } = options;
  requireWhole("minimumSecretCharacters", minimumSecretCharacters, shortestSecret, longestSecret);
  requireWhole("maxPerTenant", maxPerTenant, 1);
  requireWhole("eventBytes", eventBytes, smallestEventBytes);
  requireWhole("disableAfter.consecutive", disableAfter?.consecutive, 1);
  requireWhole("disableAfter.minDurationMs", disableAfter?.minDurationMs, 0);
  if (scheduleMs === undefined) return;
  if (scheduleMs.length === 0) throw new ConfigurationError(`"webhooks.scheduleMs" needs an entry for each attempt.`);
  for (const ms of scheduleMs) requireWhole("scheduleMs", ms, 0);
}

function requireWhole(name: string, value: number | undefined, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new ConfigurationError(`"webhooks.${name}" must be a whole number ${range}; got ${String(value)}.`);
}
