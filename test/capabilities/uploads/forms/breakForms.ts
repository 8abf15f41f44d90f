import { setTimeout as sleep } from "node:timers/promises";
import { integer, type Random } from "../../../fuzz/random.js";
import { formOf, partOf } from "../multipart/forms.js";
import type { UploadStage } from "../stage.js";
import type { FormStage } from "./formStage.js";

const form = Buffer.from(
  formOf(
    partOf('name="a"', "1"),
    partOf('name="f"; filename="f.bin"', "x".repeat(150_000)),
    partOf('name="g"; filename="g.bin"', "y".repeat(1_000)),
    partOf('name="h"; filename="h.bin"', "z".repeat(300_000)),
  ),
);

/** Clients that send a form up to some byte, and go away at once or after a moment. */
export async function breakForms(stage: UploadStage | FormStage, clients: number, random: Random): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const [at, pieces] = [integer(random, form.length), 1 + integer(random, 4)];
      const wait = integer(random, 3) === 0 ? integer(random, 30) : 0;
      const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": form.length };
      const begun = await stage.begin("POST", "/avatars", headers);
      for (let piece = 0; piece < pieces; piece++) {
        await begun.write(form.subarray(Math.floor((at * piece) / pieces), Math.floor((at * (piece + 1)) / pieces)));
        if (wait > 0) await sleep(wait);
      }
      begun.socket.destroy();
      await begun.answered;
    }),
  );
}
