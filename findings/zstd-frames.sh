#!/usr/bin/env bash
# node:zlib of Node 24.21.0: of two Zstandard frames one behind the other, which RFC 8878 §3 calls a valid input whose content is that of both, `zstdDecompress` returns the
# first and drops the second without an error. Node 26.10.0 returns both. In restwright: a request body of several frames is 400 (docs/compression.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund older@npm:node@24.21.0 newer@npm:node@26.10.0
cat > show.mjs <<'JS'
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

const frames = Buffer.concat(["one ", "two"].map((text) => zstdCompressSync(text)));
console.log(JSON.stringify(zstdDecompressSync(frames).toString()));
JS
older=$(node_modules/older/bin/node show.mjs)
newer=$(node_modules/newer/bin/node show.mjs)
echo "two frames, \"one \" and \"two\": Node 24.21.0: $older, Node 26.10.0: $newer"
[[ $older == '"one "' && $newer == '"one two"' ]]
