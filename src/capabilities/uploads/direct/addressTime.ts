import type { UploadSettings } from "../records/settings.js";

/** How long a body that began before its URL expired may continue. */
const graceMs = 3_600_000;

/** The current time in Unix seconds. */
export function secondsOf({ clock }: Pick<UploadSettings, "clock">): number {
  return Math.floor(clock.now() / 1_000);
}

/**
 * When an upload expires, given when its URL expires, in milliseconds since the epoch.
 *
 * @param expiresAt Unix seconds
 */
export function dueMsOf(expiresAt: number): number {
  return expiresAt * 1_000 + graceMs;
}
