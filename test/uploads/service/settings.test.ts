import { ConfigurationError, createService, type UploadOptions } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";

test.each<Partial<UploadOptions>>([{ mostOpen: 0 }, { mostOpen: Number.NaN }, { expiresMs: 999 }, { checkMs: 0 }, { maximumBytes: -1 }])(
  "a service with %o is not made",
  (options) => {
    const make = () => createService({ resources: [], storage: memoryStorage(), blobs: memoryBlobs(), uploads: { types: "any", ...options } });
    expect(make).toThrow(ConfigurationError);
  },
);
