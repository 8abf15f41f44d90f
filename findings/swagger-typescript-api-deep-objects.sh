#!/usr/bin/env bash
# swagger-typescript-api 13.13.0: the client that it writes for fetch sends a parameter with `style: deepObject` as `total=[object Object]`, although its types take the object and the
# document says how it is written: `total[gte]=5` (OpenAPI 3.1.1 §4.8.12, "Style Values"). In restwright: `openapi({ filters: "flat" })` is for such generators (docs/clients.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund swagger-typescript-api@13.13.0 esbuild@0.27.0
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Orders", "version": "1" },
  "paths": {
    "/orders": {
      "get": {
        "operationId": "list",
        "parameters": [
          {
            "name": "total",
            "in": "query",
            "style": "deepObject",
            "explode": true,
            "schema": { "type": "object", "properties": { "gte": { "type": "number" } } }
          }
        ],
        "responses": { "200": { "description": "Rows.", "content": { "application/json": { "schema": { "type": "array", "items": {} } } } } }
      }
    }
  }
}
JSON
npx swagger-typescript-api generate --silent -p openapi.json -o . -n client.ts > /dev/null
cat > show.ts <<'TS'
import { Api } from "./client";

new Api({ baseUrl: "http://shop.example", customFetch: async (url) => (console.log(decodeURIComponent(String(url))), Response.json([])) }).orders.list({ total: { gte: 5 } });
TS
npx esbuild show.ts --bundle --platform=node --log-level=error --outfile=show.cjs
seen=$(node show.cjs)
echo "the client of swagger-typescript-api 13.13.0 asks $seen"
[[ $seen == "http://shop.example/orders?total=[object Object]" ]]
