import { chmodSync, mkdirSync, statSync } from "node:fs";

/** Creates the data folder, readable only for the shop's own user because the store keeps its secret there. */
export function makeDataFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(path);
  const isShared = (mode & 0o1000) !== 0;
  if (!isShared && (mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, 0o700);
}
