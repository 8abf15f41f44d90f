import { isObject } from "../../../ground/http/isObject.js";
import { compileEventPatterns } from "../../events/matchEvent.js";
import { checkWebhookUrl } from "../delivery/url.js";
import { compileEventFilter } from "../events/filter.js";
import type { WebhookSettings } from "../settings.js";
import { invalidMember } from "./memberProblems.js";

/** Read-only members of a webhook, which responses to a registration or a rotation contain. */
export const readOnlyMembers: ReadonlySet<string> = new Set([
  "id",
  "verificationSecret",
  "secretHint",
  "previousSecretUntil",
  "previousSecrets",
  "consecutiveFailures",
  "pausedUntil",
  "disabledReason",
  "disabledAt",
  "createdAt",
  "updatedAt",
]);

/** The URL in its stored form. @throws {ProblemError} WEBHOOK_URL_NOT_HTTPS, WEBHOOK_URL_NOT_ALLOWED, VALIDATION_FAILED */
export function readUrl(value: unknown, { network }: WebhookSettings): string {
  if (typeof value !== "string") throw invalidMember(["url"], `"url" must be a text: an https address.`);
  return checkWebhookUrl(value, network).href;
}

/** The patterns without repetitions. @throws {ProblemError} UNKNOWN_EVENT, VALIDATION_FAILED */
export function readEvents(value: unknown, { eventTypes }: WebhookSettings): readonly string[] {
  compileEventPatterns(value as readonly string[], { known: eventTypes });
  return [...new Set(value as readonly string[])];
}

/** The filter; `undefined` for null. @throws {ProblemError} INVALID_FILTER */
export function readFilter(value: unknown): unknown {
  compileEventFilter(value);
  return isObject(value) ? value : undefined;
}

/** @throws {ProblemError} VALIDATION_FAILED */
export function readActive(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw invalidMember(["active"], `"active" must be true or false.`);
}

/** @throws {ProblemError} VALIDATION_FAILED for an unknown version of events */
export function readApiVersion(value: unknown, { versions: { all } }: WebhookSettings, current?: string): string {
  if (all.includes(value as string) || (current !== undefined && value === current)) return value as string;
  throw invalidMember(["apiVersion"], `"apiVersion" must be a version in which events are sent: ${all.join(", ")}.`, all);
}
