import type { Environment } from "../../../engine/operation/environment.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { SecretBox } from "../../../ground/secrets/secretBox.js";
import { SecretBoxError } from "../../../ground/secrets/secretBoxError.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { validPreviousSecrets } from "./previousSecrets.js";

/**
 * The secrets of a webhook that are valid at a time, newest first.
 *
 * @param nowMs milliseconds since the epoch
 * @throws {SecretBoxError} if one of them cannot be opened
 */
export async function openSecrets(webhook: Webhook, box: SecretBox, nowMs: number): Promise<readonly string[]> {
  return Promise.all([webhook, ...validPreviousSecrets(webhook, nowMs)].map(async ({ secret }) => box.open(secret, webhook.id)));
}

/**
 * Rejects a request for new deliveries that could not be signed.
 *
 * @throws {ProblemError} SECRET_UNREADABLE
 */
export async function requireReadableSecrets(webhook: Webhook, box: SecretBox, environment: Environment): Promise<void> {
  await withReadableSecrets(webhook, environment, () => openSecrets(webhook, box, environment.clock.now()));
}

/**
 * Runs a function that opens secrets of a webhook.
 *
 * @throws {ProblemError} SECRET_UNREADABLE instead of a SecretBoxError, which is logged
 */
export async function withReadableSecrets<Result>(
  { id }: Pick<Webhook, "id">,
  { logger }: Pick<Environment, "logger">,
  open: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    logger.error({ err: error, webhook: id }, "The secret of a webhook cannot be opened; restore the key in `secrets`, or rotate the secret.");
    const detail = "The secret of the webhook cannot be opened, so nothing can be signed; rotate it by POST to its rotate-secret.";
    throw new ProblemError("SECRET_UNREADABLE", detail, { cause: error });
  }
}
