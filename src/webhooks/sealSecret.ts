import type { Environment } from "../operation/environment.js";
import { secretHint } from "./secret.js";
import type { WebhookSettings } from "./settings.js";

/** A secret as a webhook keeps it. */
export interface SealedSecret {
  readonly secret: string;
  readonly secretHint: string;
}

/** Seals a secret for a webhook: it opens for no other. */
export async function sealSecret({ box }: WebhookSettings, secret: string, id: string): Promise<SealedSecret> {
  return { secret: await box.seal(secret, id), secretHint: secretHint(secret) };
}

/** Tells the developer of a secret that is taken, but can be guessed sooner than it should. */
export function warnOfShortSecret({ logger }: Pick<Environment, "logger">, id: string): void {
  logger.warn({ webhook: id }, "A webhook was given a secret of fewer than 24 characters.");
}
