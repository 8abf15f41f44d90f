import type { Cluster, Redis } from "ioredis";
import type { Begun, IdempotencyStore, Storage } from "restwright";
import type { IoredisClient, RedisClient } from "restwright/redis";
import { expectTypeOf, test } from "vitest";

test("clients of ioredis are taken as they are, a cluster's among them", () => {
  expectTypeOf<Redis>().toExtend<IoredisClient>();
  expectTypeOf<Cluster>().toExtend<RedisClient>();
});

test("what became of a begin is told apart by its kind", () => {
  expectTypeOf<Extract<Begun, { kind: "done" }>["response"]>().toEqualTypeOf<Uint8Array>();
  expectTypeOf<Begun["kind"]>().toEqualTypeOf<"acquired" | "inFlight" | "done">();
});

test("a storage may have a store of idempotency records", () => {
  expectTypeOf<Storage["idempotency"]>().toEqualTypeOf<IdempotencyStore | undefined>();
});
