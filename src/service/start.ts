import type { ServiceOptions } from "./options.js";

/** Migration runs once; after a failure the next request tries again. */
export interface Start {
  /** Already done: requests need not wait. */
  readonly done: boolean;
  run(): Promise<void>;
}

/** The start of a service: its storage is brought up to its models. */
export function startOnce({ storage, resources }: ServiceOptions): Start {
  let running: Promise<void> | undefined;
  let done = storage.migrate === undefined;
  return {
    get done() {
      return done;
    },
    run() {
      if (done) return Promise.resolve();
      running ??= Promise.resolve(storage.migrate?.(resources.map(({ model }) => model))).then(
        () => {
          done = true;
        },
        (error: unknown) => {
          running = undefined;
          throw error;
        },
      );
      return running;
    },
  };
}
