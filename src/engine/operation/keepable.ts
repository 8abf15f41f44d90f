import type { ReceivedBody } from "./operation.js";

/** A received body that is removed on release unless it is kept. */
export interface Keepable extends Pick<ReceivedBody, "release"> {
  /** Marks the body as kept: `release` no longer removes it. */
  keep(): void;
  /** Removes the body, even if it is kept. Does not reject. */
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
