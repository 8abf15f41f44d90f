import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { maxOverlapSeconds } from "../../../ground/secrets/maxOverlapSeconds.js";
import { SecretBoxError } from "../../../ground/secrets/secretBoxError.js";
import type { PreviousSecret, Webhook } from "../../../ground/storage/queue/webhooks.js";
import { sealAnswers } from "../../../parts/idempotency/sealedRecords.js";
import type { WebhookSettings } from "../settings.js";
import { maxPreviousSecrets, validPreviousSecrets } from "../signing/previousSecrets.js";
import { sealSecret, warnAboutShortSecret } from "../signing/sealSecret.js";
import { generateSecret, parseSecret, type WebhookSecret } from "../signing/secret.js";
import { answerWebhook } from "./answerWebhook.js";
import { changeWebhook } from "./changeWebhook.js";
import { invalidMember, MemberProblems, membersOf } from "./memberProblems.js";

const members = ["secret", "overlapSeconds"];
const defaultOverlapSeconds = 86_400;

/** POST that replaces the secret of a webhook. Only its response contains the new secret. */
export function rotateSecretOperation(settings: WebhookSettings, limits: Limits): Operation {
  return {
    name: "webhooks.rotateSecret",
    method: "POST",
    standsAlone: true,
    sealAnswers,
    access: { action: "update", collection: "webhooks" },
    body: { ...jsonBody(limits), optional: true },
    run: (context) => rotate(settings, context),
  };
}

async function rotate(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { environment, body } = context;
  const { supplied, overlapSeconds } = readRotation(settings, body);
  const secret = supplied?.text ?? newSecret(context);
  const response = await changeWebhook(settings, context, async (webhook) => {
    // An earlier attempt of the same request has stored the secret; an overlap of zero still has to be applied.
    const isSame = await isSecretOf(settings, webhook, secret);
    if (isSame && (overlapSeconds > 0 || webhook.previousSecrets.length === 0)) {
      return async () => answerWebhook(settings, context, webhook, { status: 200, secret });
    }
    const sealed = isSame ? {} : await sealSecret(settings, secret, webhook.id);
    const change = { ...sealed, previousSecrets: await previousSecrets(settings, webhook, environment.clock.now(), overlapSeconds) };
    return async ({ webhooks }) => {
      const outcome = await webhooks.update(webhook.id, change, webhook.version);
      return outcome.ok ? answerWebhook(settings, context, outcome.webhook, { status: 200, secret }) : undefined;
    };
  });
  if (supplied?.isShort === true) warnAboutShortSecret(environment, context.params[0] ?? "");
  return response;
}

async function isSecretOf(settings: WebhookSettings, { id, secret: sealed }: Webhook, secret: string): Promise<boolean> {
  return (await openedSecret(settings, id, sealed)) === secret;
}

/** The secret as text; `undefined` if no key of the service opens it. */
async function openedSecret({ box }: WebhookSettings, id: string, sealed: string): Promise<string | undefined> {
  try {
    return await box.open(sealed, id);
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

/** If the record of the key cannot commit with the webhook, a repeated request derives the same secret again. */
function newSecret({ environment, operationId, insertsUnderOperationId }: Context): string {
  if (!insertsUnderOperationId || operationId === undefined) return generateSecret();
  const [key = Buffer.alloc(0)] = environment.secrets.derive(`webhook-secret:${operationId}`, 32);
  return `whsec_${key.toString("base64")}`;
}

/** The secrets that continue to sign, newest first; none without an overlap. A secret that cannot be opened cannot sign, and would block every delivery. */
async function previousSecrets(
  settings: WebhookSettings,
  webhook: Webhook,
  nowMs: number,
  overlapSeconds: number,
): Promise<readonly PreviousSecret[]> {
  if (overlapSeconds === 0) return [];
  const { secret, secretHint } = webhook;
  const replaced = { secret, secretHint, until: new Date(nowMs + overlapSeconds * 1_000) };
  const kept: PreviousSecret[] = [];
  for (const each of [replaced, ...validPreviousSecrets(webhook, nowMs)]) {
    if ((await openedSecret(settings, webhook.id, each.secret)) !== undefined) kept.push(each);
  }
  return kept.slice(0, maxPreviousSecrets);
}

interface Rotation {
  readonly supplied: WebhookSecret | undefined;
  readonly overlapSeconds: number;
}

function readRotation({ minSecretCharacters: minimumCharacters }: WebhookSettings, body: unknown = {}): Rotation {
  const given = membersOf(body);
  const problems = new MemberProblems();
  for (const name of Object.keys(given)) if (!members.includes(name)) problems.unknown(name, members);
  const { secret = null } = given;
  const supplied = problems.read(() => (secret === null ? undefined : parseSecret(secret as string, { minimumCharacters })));
  const overlapSeconds = problems.read(() => readOverlap(given["overlapSeconds"] ?? defaultOverlapSeconds));
  problems.refuse();
  return { supplied, overlapSeconds: overlapSeconds ?? defaultOverlapSeconds };
}

function readOverlap(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxOverlapSeconds) return value;
  throw invalidMember(["overlapSeconds"], `"overlapSeconds" must be a whole number from 0 to ${maxOverlapSeconds}.`);
}
