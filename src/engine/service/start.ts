import { randomBytes } from "node:crypto";
import { Secrets } from "../../ground/secrets/secrets.js";
import type { ServiceOptions } from "./options.js";

/** The start of a service. It runs once; after a failure the next request tries again. */
export interface Start {
  /** Whether the start is complete, so that requests need not wait. */
  readonly done: boolean;
  /** Available after the start. */
  readonly secrets: Secrets;
  run(): Promise<void>;
  /** Loads the code that the definitions need, without the storage. Part of the start. */
  load(): Promise<void>;
}

/** What a start consists of. */
export interface StartSteps {
  /** Loads the code that the definitions need. */
  load(): Promise<void>;
  /** Called after the migration, when the secrets are available. */
  started(): void | Promise<void>;
}

/** Creates the start of a service: it loads the code that the definitions need, migrates the storage to its models and reads the secrets. */
export function startOnce({ storage, resources, secrets: given, logger, idempotency }: ServiceOptions, { load, started }: StartSteps): Start {
  let running: Promise<void> | undefined;
  let secrets = given === undefined ? undefined : new Secrets(given);
  if (secrets === undefined && storage.secret === undefined) {
    secrets = new Secrets([randomBytes(32).toString("base64url")]);
    if (logger)
      logger.warn({ storage: storage.name }, "The storage keeps no secret: cursors end with this process. Give `secrets` to createService.");
  }
  const records = idempotency ? idempotency.store : undefined;
  let done = false;
  const begin = async () => {
    await load();
    await storage.migrate?.(
      resources.map(({ model }) => model),
      { warn: (facts, message) => (logger ? logger.warn(facts, message) : undefined) },
    );
    await records?.migrate?.();
    secrets ??= new Secrets([(await storage.secret?.()) ?? randomBytes(32).toString("base64url")]);
    await started();
    done = true;
  };
  return {
    get done() {
      return done;
    },
    get secrets() {
      if (secrets === undefined) throw new Error("The service has not started.");
      return secrets;
    },
    load,
    run() {
      if (done) return Promise.resolve();
      running ??= begin().catch((error: unknown) => {
        running = undefined;
        throw error;
      });
      return running;
    },
  };
}
