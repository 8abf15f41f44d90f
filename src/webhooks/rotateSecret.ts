import type { HttpResponse } from "../http/message.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { jsonBody } from "../resource/jsonBody.js";
import type { Webhook } from "../storage/webhooks.js";
import { answerWebhook } from "./answerWebhook.js";
import { changeWebhook } from "./changeWebhook.js";
import { invalidMember, MemberProblems, membersOf } from "./memberProblems.js";
import { sealSecret, warnOfShortSecret } from "./sealSecret.js";
import { generateSecret, parseSecret, type WebhookSecret } from "./secret.js";
import type { WebhookSettings } from "./settings.js";

const members = ["secret", "overlapSeconds"];
const defaultOverlapSeconds = 86_400;
const longestOverlapSeconds = 604_800;

/** POST that gives a webhook another secret; its answer is the only one that shows it. */
export function rotateSecretOperation(settings: WebhookSettings, limits: Limits): Operation {
  return {
    name: "webhooks.rotateSecret",
    method: "POST",
    safety: "unsafe",
    standsAlone: true,
    secretAnswer: true,
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
    // Then an earlier try of the same request has done it; an overlap that is to end ends all the same.
    const isSame = await isSecretOf(settings, webhook, secret);
    if (isSame && (overlapSeconds > 0 || webhook.previousSecret === undefined)) {
      return async () => answerWebhook(settings, context, webhook, { status: 200, secret });
    }
    const sealed = isSame ? {} : await sealSecret(settings, secret, webhook.id);
    const change = { ...sealed, ...previous(webhook, environment.clock.now(), overlapSeconds) };
    return async ({ webhooks }) => {
      const outcome = await webhooks.update(webhook.id, change, webhook.version);
      return outcome.ok ? answerWebhook(settings, context, outcome.webhook, { status: 200, secret }) : undefined;
    };
  });
  if (supplied?.isShort === true) warnOfShortSecret(environment, context.params[0] ?? "");
  return response;
}

async function isSecretOf({ box }: WebhookSettings, { id, secret: sealed }: Webhook, secret: string): Promise<boolean> {
  try {
    return (await box.open(sealed, id)) === secret;
  } catch {
    // One that cannot be opened any more is just what is replaced.
    return false;
  }
}

/** Where its record cannot commit with the webhook, a request that is repeated makes the same secret again. */
function newSecret({ environment, operationId, insertsUnderOperationId }: Context): string {
  if (!insertsUnderOperationId || operationId === undefined) return generateSecret();
  const [key = Buffer.alloc(0)] = environment.secrets.derive(`webhook-secret:${operationId}`, 32);
  return `whsec_${key.toString("base64")}`;
}

/** Without an overlap nothing is signed with the old secret any more, nor with one before it. */
function previous({ secret }: Webhook, nowMs: number, overlapSeconds: number): Pick<Webhook, "previousSecret" | "previousSecretUntil"> {
  if (overlapSeconds === 0) return { previousSecret: undefined, previousSecretUntil: undefined };
  return { previousSecret: secret, previousSecretUntil: new Date(nowMs + overlapSeconds * 1_000) };
}

interface Rotation {
  readonly supplied: WebhookSecret | undefined;
  readonly overlapSeconds: number;
}

function readRotation({ minimumSecretCharacters: minimumCharacters }: WebhookSettings, body: unknown = {}): Rotation {
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
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= longestOverlapSeconds) return value;
  throw invalidMember(["overlapSeconds"], `"overlapSeconds" must be a whole number from 0 to ${longestOverlapSeconds}.`);
}
