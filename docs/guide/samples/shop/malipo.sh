# malipo.sh: shared by the programs below
url=${MALIPO_URL:-http://127.0.0.1:8080}
vid=${MALIPO_VID:-demo}
key=${MALIPO_KEY:-demo-security-key}

# call METHOD TARGET [BODY] signs a request, sends it, and prints the answer.
# It sets $answer, $status (000 if there is no answer) and $retry_after.
call() {
  local time nonce digest sig headers type=application/x-www-form-urlencoded
  time=$(date +%s)
  nonce=$(openssl rand -hex 16)
  digest=$(printf '%s' "${3:-}" | openssl dgst -sha256 | sed 's/^.* //')
  sig=$(printf 'v2\n%s\n%s\n%s\n%s\n%s' "$1" "$2" "$digest" "$time" "$nonce" |
    openssl dgst -sha256 -hmac "$key" | sed 's/^.* //')
  case ${3:-} in '{'*) type=application/json ;; esac
  headers=$(mktemp)
  answer=$(curl -sS -X "$1" "$url$2" --max-time 15 -D "$headers" -w '\n%{http_code}' \
    -H "X-Signature: v2,t=$time,nonce=$nonce,sig=$sig" \
    ${3:+-H "Content-Type: $type" --data-binary "$3"})
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  retry_after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$headers")
  rm "$headers"
  printf '%s\n' "$answer"
  [ "${status%??}" = 2 ]
}

# field NAME prints a field of the answer that is a string. A larger program reads JSON with jq.
field() {
  printf '%s\n' "$answer" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}
