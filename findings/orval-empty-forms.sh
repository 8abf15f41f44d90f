#!/usr/bin/env bash
# orval 8.38.0: of a form whose parts are described by `additionalProperties` alone, the function that it writes takes the parts, and sends a form without any: it builds the form from
# `properties`. Its fetch client and its axios client do. In restwright: a form whose files may have any name has one with a name (src/capabilities/uploads/describeUploads.ts).
# It needs Node 22.18 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund orval@8.38.0 esbuild@0.27.0 node@24
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Pictures", "version": "1" },
  "paths": {
    "/pictures": {
      "post": {
        "operationId": "send",
        "requestBody": {
          "required": true,
          "content": { "multipart/form-data": { "schema": { "type": "object", "additionalProperties": { "type": "string" } } } }
        },
        "responses": { "200": { "description": "Stored.", "content": { "application/json": { "schema": { "type": "object" } } } } }
      }
    }
  }
}
JSON
echo 'export default { pictures: { input: "./openapi.json", output: { target: "./client.ts", client: "fetch" } } };' > orval.config.mjs
node_modules/node/bin/node node_modules/.bin/orval --config orval.config.mjs > /dev/null
cat > show.ts <<'TS'
import { send } from "./client";

globalThis.fetch = async (_url, options) => {
  console.log([...(options!.body as FormData).keys()].length);
  return Response.json({});
};
send({ title: "Ada", place: "London" });
TS
npx esbuild show.ts --bundle --platform=node --log-level=error --outfile=show.cjs
seen=$(node show.cjs)
echo "parts of the form that orval 8.38.0 sends of 2: $seen"
[[ $seen == 0 ]]
