import type { Storage } from "../storage/storage.js";
import type { InFlight } from "./inFlight.js";
import type { Start } from "./start.js";

export interface Health {
  readonly status: "ok" | "closing";
}

export interface Readiness {
  readonly ready: boolean;
  /** Name of the store and whether it answers. */
  readonly storage: { readonly name: string; readonly ok: boolean };
}

/** Asks the storage. */
export async function readiness(storage: Storage, inFlight: InFlight, start: Start): Promise<Readiness> {
  let ok = true;
  try {
    await start.run();
    await storage.ping?.();
  } catch {
    ok = false;
  }
  return { ready: ok && !inFlight.closing, storage: { name: storage.name, ok } };
}
