import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "restwright";
import { makeDataFolder } from "./dataFolder.js";
import type { Settings } from "./settings.js";

/**
 * The secrets that sign cursors and seal the secrets of webhooks. The embedded store keeps one itself. PostgreSQL must not, because everyone who can read its
 * rows could then unseal them: without SECRETS, a secret is created and kept in the data folder.
 *
 * @returns `undefined` if the store keeps the secret
 */
export function findSecrets({ secrets, databaseUrl, dataDir }: Settings, logger?: Logger): readonly string[] | undefined {
  if (secrets.length > 0) return secrets;
  if (databaseUrl === undefined) return undefined;
  const isKept = dataDir !== ":memory:";
  try {
    if (isKept) return [keptSecret(dataDir)];
  } catch (error) {
    logger?.error({ err: error }, "Keeping a secret in DATA_DIR failed; set SECRETS or make the folder writable.");
  }
  logger?.warn({}, "SECRETS is not set: cursors and the secrets of webhooks become invalid when this process ends. Set SECRETS to keep them.");
  return [randomBytes(32).toString("base64url")];
}

/** Creates the secret once, even if several processes start at the same time. */
function keptSecret(folder: string): string {
  const path = join(folder, "secret");
  makeDataFolder(folder);
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
