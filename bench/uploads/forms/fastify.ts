import { createWriteStream } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import fastify, { type FastifyPluginAsync, type FastifyRequest } from "fastify";
import type { FormPlaces } from "./listen.js";

/** What `@fastify/multipart` adds to a request. */
interface RequestWithFile {
  file(): Promise<{ readonly file: Readable } | undefined>;
}

type Plugin = FastifyPluginAsync<{ readonly limits: { readonly fileSize: number } }>;

export async function fastifyForms({ folder, peers }: FormPlaces): Promise<number> {
  const multipart: Plugin = createRequire(join(peers, "package.json"))("@fastify/multipart");
  const app = fastify({ bodyLimit: Number.MAX_SAFE_INTEGER });
  await app.register(multipart, { limits: { fileSize: Number.MAX_SAFE_INTEGER } });
  let kept = 0;
  app.post("/upload", async (request: FastifyRequest & Partial<RequestWithFile>, reply) => {
    const part = await request.file?.();
    if (part === undefined) return reply.code(400).send();
    await pipeline(part.file, createWriteStream(join(folder, `file-${kept++}`)));
    return reply.code(201).send();
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}
