import type { ReceivedBody } from "./operation.js";

/** What was received of a body, until it is kept. */
export interface Keepable extends Pick<ReceivedBody, "release"> {
  /** It belongs to what was made of it now: letting go of the body does nothing to it. */
  keep(): void;
  /** Removes it, kept or not. Does not reject. */
  drop(): Promise<void>;
}

/** @param drop removes what was received; must not reject */
export function keepable(drop: () => Promise<void>): Keepable {
  let isKept = false;
  return {
    keep() {
      isKept = true;
    },
    async release() {
      if (!isKept) await drop();
    },
    drop,
  };
}
