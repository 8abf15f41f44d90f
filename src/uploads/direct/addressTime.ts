import type { UploadSettings } from "../records/settings.js";

/** A body that began before its address ended may go on so long. */
const graceMs = 3_600_000;

/** Now, in Unix seconds. */
export function secondsOf({ clock }: Pick<UploadSettings, "clock">): number {
  return Math.floor(clock.now() / 1_000);
}

/**
 * When an upload is given up whose address ends, in milliseconds since the epoch.
 *
 * @param expiresAt Unix seconds
 */
export function dueMsOf(expiresAt: number): number {
  return expiresAt * 1_000 + graceMs;
}
