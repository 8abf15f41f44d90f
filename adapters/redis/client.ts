/** What this library needs of a client of `ioredis`, a cluster's included. */
export interface IoredisClient {
  evalsha(sha1: string, keys: number, ...keysAndValues: string[]): Promise<unknown>;
  eval(script: string, keys: number, ...keysAndValues: string[]): Promise<unknown>;
}

/** What this library needs of a client of `redis`, a pool's or cluster's included. It has to be connected. */
export interface NodeRedisClient {
  evalSha(sha1: string, options: NodeRedisArguments): Promise<unknown>;
  eval(script: string, options: NodeRedisArguments): Promise<unknown>;
}

/** Keys and values of a script, as `redis` takes them. */
export interface NodeRedisArguments {
  keys: string[];
  arguments: string[];
}

/** A client that is connected, and stays its owner's: of `ioredis`, or of `redis` from version 5 on. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** The one way in which scripts are run, whatever client was given. */
export interface ScriptClient {
  /** By the hash of a script that the server has seen. */
  runHash(sha1: string, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  runText(text: string, keys: readonly string[], values: readonly string[]): Promise<unknown>;
}

/**
 * Tells the two libraries apart by how they spell the command.
 *
 * @throws {TypeError} when the client is of neither
 */
export function scriptClient(client: RedisClient): ScriptClient {
  if ((typeof client !== "object" || client === null) && typeof client !== "function") throw noClient();
  if ("evalSha" in client) {
    return {
      runHash: (sha1, keys, values) => client.evalSha(sha1, { keys: [...keys], arguments: [...values] }),
      runText: (text, keys, values) => client.eval(text, { keys: [...keys], arguments: [...values] }),
    };
  }
  if (!("evalsha" in client)) throw noClient();
  return {
    runHash: (sha1, keys, values) => client.evalsha(sha1, keys.length, ...keys, ...values),
    runText: (text, keys, values) => client.eval(text, keys.length, ...keys, ...values),
  };
}

function noClient(): TypeError {
  return new TypeError("This is no client of Redis that can be used; pass one of ioredis, or one of redis from version 5 on.");
}
