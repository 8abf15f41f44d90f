import type { Environment } from "../../../engine/operation/environment.js";
import type { WebhookSettings } from "../settings.js";
import { secretHint } from "./secret.js";

/** A secret as stored with a webhook. */
export interface SealedSecret {
  readonly secret: string;
  readonly secretHint: string;
}

/** Seals a secret for one webhook: it cannot be opened for another. */
export async function sealSecret({ box }: WebhookSettings, secret: string, id: string): Promise<SealedSecret> {
  return { secret: await box.seal(secret, id), secretHint: secretHint(secret) };
}

/** Warns the developer of a secret that is valid but short. */
export function warnAboutShortSecret({ logger }: Pick<Environment, "logger">, id: string): void {
  logger.warn({ webhook: id }, "The secret of a webhook has fewer than 24 characters.");
}
