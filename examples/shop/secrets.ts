import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "restwright";
import type { Settings } from "./settings.js";

/**
 * What cursors are signed and the secrets of webhooks sealed with. The embedded store keeps one itself. PostgreSQL must not, since whoever reads its
 * rows could then open what is sealed in them: without SECRETS, one is made and kept in the data folder.
 *
 * @returns `undefined` where the store keeps one
 */
export function findSecrets({ secrets, databaseUrl, dataDir }: Settings, logger?: Logger): readonly string[] | undefined {
  if (secrets.length > 0) return secrets;
  if (databaseUrl === undefined) return undefined;
  const isKept = dataDir !== ":memory:";
  try {
    if (isKept) return [keptSecret(dataDir)];
  } catch (error) {
    logger?.error({ err: error }, "No secret can be kept in DATA_DIR.");
  }
  logger?.warn({}, "SECRETS is not set: cursors and the secrets of webhooks are lost when this process ends.");
  return [randomBytes(32).toString("base64url")];
}

/** Made once, whichever of several processes is first. */
function keptSecret(folder: string): string {
  const path = join(folder, "secret");
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `secret.${randomUUID()}`);
  writeFileSync(draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, "utf8");
}
