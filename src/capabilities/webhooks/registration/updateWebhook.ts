import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { parsePrefer } from "../../../ground/http/headers/prefer.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import type { Webhook, WebhookChange } from "../../../ground/storage/queue/webhooks.js";
import { mergePatch } from "../../../language/patch/mergePatch.js";
import { parseDateTime } from "../../../language/schema/wire.js";
import type { WebhookSettings } from "../settings.js";
import { answerWebhook } from "./answerWebhook.js";
import { changeWebhook } from "./changeWebhook.js";
import type { WebhookStores } from "./commitWebhooks.js";
import { MemberProblems, membersOf, readOnlyMember } from "./memberProblems.js";
import { requireAudience } from "./requireAudience.js";
import { storedOwner, storeOwner } from "./storedOwner.js";
import { readActive, readApiVersion, readEvents, readFilter, readOnlyMembers, readUrl } from "./webhookMembers.js";

const members = ["url", "events", "filter", "active", "apiVersion"];

/** Media types of PATCH, for `Accept-Patch`. */
export const webhookPatchTypes: readonly string[] = ["application/merge-patch+json", "application/json"];

/** PATCH of a webhook with a merge patch (RFC 7396). */
export function updateWebhookOperation(settings: WebhookSettings, limits: Limits): Operation {
  return {
    name: "webhooks.update",
    method: "PATCH",
    standsAlone: true,
    access: { action: "update", collection: "webhooks" },
    body: { accepts: (mediaType) => webhookPatchTypes.includes(mediaType), supported: webhookPatchTypes, limitBytes: limits.jsonBodyBytes },
    run: (context) => changeWebhook(settings, context, async (webhook) => update(settings, context, webhook)),
  };
}

async function update(settings: WebhookSettings, context: Context, webhook: Webhook) {
  const { environment, principal } = context;
  const asked = readChange(settings, context.body, webhook);
  const isOwner = principal.id === webhook.owner;
  if (asked.events !== undefined || asked.filter !== undefined) {
    const owner = isOwner ? principal : (storedOwner(webhook) ?? principal);
    await requireAudience(settings, context, { events: webhook.events, filter: webhook.filter, ...asked, owner });
  }
  const isEmpty = Object.keys(asked).length === 0;
  if (isEmpty && !(isOwner && webhook.principal === undefined)) return async () => updated(settings, context, webhook);
  const change = isOwner ? { ...asked, principal: storeOwner(principal, environment) } : asked;
  return async ({ webhooks }: WebhookStores) => {
    const outcome = await webhooks.update(webhook.id, change, webhook.version);
    return outcome.ok ? updated(settings, context, outcome.webhook) : undefined;
  };
}

function updated(settings: WebhookSettings, context: Context, webhook: Webhook): HttpResponse {
  const response = answerWebhook(settings, context, webhook, { status: 200 });
  if (parsePrefer(context.headers.get("prefer")).return !== "minimal") return response;
  const { "content-type": _, ...headers } = response.headers;
  return { status: 204, headers: { ...headers, "preference-applied": "return=minimal" }, body: null };
}

/** The changes of a patch; null stands for the default value, if there is one. */
function readChange(settings: WebhookSettings, body: unknown, webhook: Webhook): WebhookChange {
  const patch = membersOf(body);
  const problems = new MemberProblems();
  const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
    url: (value) => readUrl(value, settings),
    events: (value) => readEvents(value, settings),
    filter: (value) => readFilter(mergePatch(webhook.filter, value)),
    active: (value) => readActive(value ?? true),
    apiVersion: (value) => readApiVersion(value ?? settings.apiVersion, settings, webhook.apiVersion),
  };
  const change: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(patch)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read !== undefined) change[name] = problems.read(() => read(value));
    else if (!isSentBack(name, value, webhook)) refuseMember(name, webhook, problems);
  }
  problems.refuse();
  return change;
}

/** Clients may send back what they received: read-only members must have their current values, and counters may have any. */
function isSentBack(name: string, value: unknown, { id, createdAt }: Webhook): boolean {
  if (name === "id") return value === id;
  if (name === "createdAt") return typeof value === "string" && parseDateTime(value)?.getTime() === createdAt.getTime();
  return readOnlyMembers.has(name) && name !== "verificationSecret";
}

function refuseMember(name: string, { id }: Webhook, problems: MemberProblems): void {
  if (name === "secret" || name === "verificationSecret") {
    problems.add(readOnlyMember(name, `"${name}" is changed by POST /webhooks/${id}/rotate-secret, so that deliveries in progress stay valid.`));
  } else if (readOnlyMembers.has(name)) problems.add(readOnlyMember(name));
  else problems.unknown(name, members);
}
