import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { NewWebhook, WebhookStore } from "../../../ground/storage/queue/webhooks.js";
import { sealAnswers } from "../../../parts/idempotency/sealedRecords.js";
import type { WebhookSettings } from "../settings.js";
import { withReadableSecrets } from "../signing/openSecrets.js";
import { sealSecret, warnAboutShortSecret } from "../signing/sealSecret.js";
import { generateSecret, parseSecret } from "../signing/secret.js";
import { answerWebhook, pathOfWebhook } from "./answerWebhook.js";
import { commitWebhooks } from "./commitWebhooks.js";
import { invalidMember, MemberProblems, membersOf, readOnlyMember } from "./memberProblems.js";
import { requireAudience } from "./requireAudience.js";
import { storeOwner } from "./storedOwner.js";
import { readActive, readApiVersion, readEvents, readFilter, readOnlyMembers, readUrl } from "./webhookMembers.js";

const members = ["url", "events", "filter", "active", "secret", "apiVersion"];

/** POST that registers a webhook. Only its response contains the secret. */
export function createWebhookOperation(settings: WebhookSettings, limits: Limits): Operation {
  return {
    name: "webhooks.create",
    method: "POST",
    standsAlone: true,
    sealAnswers,
    access: { action: "create", collection: "webhooks" },
    body: jsonBody(limits),
    run: (context) => create(settings, context),
  };
}

async function create(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { environment, operationId, principal, request } = context;
  const registration = readRegistration(settings, context.body);
  await requireAudience(settings, context, { ...registration, owner: principal });
  // If the record of the key cannot commit with the webhook, a repeated request finds the webhook by its id.
  const id = `wh_${context.insertsUnderOperationId && operationId !== undefined ? operationId : environment.ids.ulid()}`;
  const { secret, isShort, ...target } = registration;
  const sealed = await sealSecret(settings, secret, id);
  const owner = { tenant: principal.tenant, owner: principal.id, principal: storeOwner(principal, environment) };
  const webhook: NewWebhook = { ...target, ...sealed, id, ...owner };
  const response = await commitWebhooks(settings, context, async ({ webhooks }) => {
    if ((await webhooks.get(id)) === undefined) await requireRoom(settings, webhooks, principal.tenant);
    await webhooks.create(webhook);
    const created = await webhooks.get(id);
    if (created === undefined) throw new Error(`The webhook "${id}" was created, but the store does not have it.`);
    const shown =
      created.secret === sealed.secret ? secret : await withReadableSecrets(created, environment, () => settings.box.open(created.secret, id));
    const location = pathOfWebhook(environment.baseUrl ?? request.mount, id);
    return answerWebhook(settings, context, created, { status: 201, headers: { location }, secret: shown });
  });
  if (isShort) warnAboutShortSecret(environment, id);
  return response;
}

type Registration = Pick<NewWebhook, "url" | "events" | "filter" | "active" | "apiVersion"> & { readonly secret: string; readonly isShort: boolean };

function readRegistration(settings: WebhookSettings, body: unknown): Registration {
  const given = membersOf(body);
  const problems = new MemberProblems();
  for (const name of Object.keys(given)) {
    if (readOnlyMembers.has(name)) problems.add(readOnlyMember(name));
    else if (!members.includes(name)) problems.unknown(name, members);
  }
  const { minSecretCharacters: minimumCharacters } = settings;
  const url = problems.read(() => readUrl(required(given, "url"), settings));
  const events = problems.read(() => readEvents(required(given, "events"), settings));
  const filter = problems.read(() => readFilter(given["filter"]));
  const active = problems.read(() => readActive(given["active"] ?? true));
  const apiVersion = problems.read(() => readApiVersion(given["apiVersion"] ?? settings.apiVersion, settings));
  const { secret: wanted = null } = given;
  const supplied = problems.read(() => (wanted === null ? undefined : parseSecret(wanted as string, { minimumCharacters })));
  problems.refuse();
  const { text: secret = generateSecret(), isShort = false } = supplied ?? {};
  return { url: url ?? "", events: events ?? [], filter, active, apiVersion, secret, isShort };
}

function required(given: Readonly<Record<string, unknown>>, name: string): unknown {
  if (given[name] === undefined) throw invalidMember([name], `"${name}" is required.`);
  return given[name];
}

async function requireRoom({ maxPerTenant }: WebhookSettings, webhooks: WebhookStore, tenant: string | undefined): Promise<void> {
  if ((await webhooks.count(tenant)) < maxPerTenant) return;
  throw new ProblemError("TOO_MANY_WEBHOOKS", `There are ${maxPerTenant} webhooks, which is the maximum; delete one.`, {
    extensions: { maximum: maxPerTenant },
  });
}
