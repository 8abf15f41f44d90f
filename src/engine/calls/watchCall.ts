import type { TransactionPart } from "../../ground/storage/insideTransaction.js";

/**
 * Makes a call of a rule safe to forget: if it fails and nothing awaits it until the rule ends, `part.unawaited` is told the error. Node would end the process
 * because of an unhandled rejection.
 */
export function watchCall<R>(call: Promise<R>, part: TransactionPart | undefined): Promise<R> {
  if (part?.unawaited === undefined) return call;
  const watched = new WatchedCall<R>((resolve, reject) => void call.then(resolve, reject));
  watched.part = part;
  const report = (error: unknown) => {
    if (!watched.isAwaited) part.unawaited?.(error);
  };
  // Not by `then` of its own, which notes that something awaits it.
  void Promise.prototype.then.call(watched, undefined, (error) => {
    // A rule may await a call later that has failed already.
    if (!part.isOpen) return report(error);
    part.atEnd ??= [];
    part.atEnd.push(() => report(error));
  });
  return watched;
}

/** The same for each method of an object that returns a promise. */
export function watchCalls<Calls extends object>(calls: Calls, part: () => TransactionPart | undefined): Calls {
  for (const [name, method] of Object.entries(calls)) {
    const watched = (...given: unknown[]) => {
      const result = method(...given);
      return result instanceof Promise ? watchCall(result, part()) : result;
    };
    Object.assign(calls, { [name]: watched });
  }
  return calls;
}

/** A promise that notes whether something awaits it: `await` calls `then` of instances of a subclass. */
class WatchedCall<R> extends Promise<R> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  isAwaited = false;
  part: TransactionPart | undefined;

  /** What follows may be forgotten too: `tx.of(stock).create(row).then(log)`. */
  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  override then<Done = R, Failed = never>(
    done?: ((value: R) => Done | PromiseLike<Done>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    this.isAwaited = true;
    return watchCall(super.then(done, failed), this.part);
  }
}
