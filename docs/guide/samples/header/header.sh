# bash header.sh
base=${MALIPO_URL:-http://127.0.0.1:8080}
key=demo-security-key
path=/transaction/create
body='vid=demo&biller_name=safaricom&amount=10.00&account=254722000000&merchant_reference=INV-2031-8'

time=$(date +%s)
nonce=$(openssl rand -hex 16)
digest=$(printf '%s' "$body" | openssl dgst -sha256 | sed 's/^.* //')
sig=$(printf 'v2\nPOST\n%s\n%s\n%s\n%s' "$path" "$digest" "$time" "$nonce" |
  openssl dgst -sha256 -hmac "$key" | sed 's/^.* //')
curl -sS "$base$path" -d "$body" -H "X-Signature: v2,t=$time,nonce=$nonce,sig=$sig"
