import type { BlobStore } from "restwright";

/** A store of blobs whose readers get on only as far as a test lets them: the first chunk at once, the rest when the gate is open. */
export class GatedBlobs {
  readonly blobs: BlobStore;
  #open: () => void = () => {};
  #gate: Promise<void> | undefined;

  constructor(inner: BlobStore) {
    const wait = () => this.#gate ?? Promise.resolve();
    this.blobs = {
      ...inner,
      async read(key, range) {
        const bytes = await inner.read(key, range);
        if (bytes === undefined) return undefined;
        return (async function* () {
          let passed = 0;
          for await (const chunk of bytes) {
            if (passed >= 600_000) await wait();
            passed += chunk.length;
            yield chunk;
          }
        })();
      },
    };
  }

  shut(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#gate = undefined;
    this.#open();
  }
}
