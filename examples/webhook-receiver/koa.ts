import Koa from "koa";
import type { StartHost } from "./host.js";
import { listen } from "./listener.js";

const limitBytes = 1_048_576;

export const start: StartHost = (receive, place) => {
  const app = new Koa();
  // Without koa-bodyparser, which keeps no bytes; Koa itself leaves the stream alone.
  app.use(async (context) => {
    if (context.method !== "POST" || context.path !== "/hook") return;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of context.req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limitBytes) context.throw(413);
      chunks.push(chunk);
    }
    const { status, text } = await receive(context.headers, Buffer.concat(chunks));
    context.status = status;
    context.body = text;
  });
  return listen(app.callback(), place);
};
