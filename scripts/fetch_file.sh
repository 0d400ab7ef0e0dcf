# Sourced by the scripts that fetch a text: one file, verified before it is in place. The caller sets
#   what    what the file is, in words        url    its address
#   size    its bytes                         sum    its SHA-256
# and calls put_file TARGET [FILE], which ends the script with status 1 and one line where that fails.

limit=20 # seconds, for a whole transfer
temporary=

fail() {
    echo "${0##*/}: $1" >&2
    exit "${2:-1}"
}

clean() {
    if [ -n "$temporary" ]; then rm -f "$temporary"; fi
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

sum_of() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"
    elif command -v shasum >/dev/null; then shasum -a 256 <"$1"
    elif command -v openssl >/dev/null; then openssl dgst -sha256 -r <"$1"
    else echo none
    fi | cut -d ' ' -f 1
}

# Prints why the file is not the right one; prints nothing when it is.
fault_of() {
    found=$(($(wc -c <"$1")))
    if [ "$found" -ne "$size" ]; then
        echo "it has $found bytes instead of $size"
        return
    fi
    found=$(sum_of "$1")
    case $found in
    "$sum") ;;
    none) echo "its SHA-256 cannot be checked without sha256sum, shasum or openssl" ;;
    *) echo "its SHA-256 is $found instead of $sum" ;;
    esac
}

# Each fetches $url into $temporary and says in one line why it could not.
fetch_with_curl() {
    code=$(curl -fsSL --max-time "$limit" -o "$temporary" -w '%{http_code}' -- "$url" 2>/dev/null)
    status=$?
    case $status in
    0) return ;;
    6) why="the host's name is not known; is there a network?" ;;
    7) why="the host does not answer; is there a network?" ;;
    18) why="the transfer was cut short" ;;
    22) why="the server answered with status $code" ;;
    28) why="it took more than $limit seconds" ;;
    *) why="curl ended with status $status" ;;
    esac
    fail "cannot fetch $url: $why"
}

fetch_with_wget() {
    bounded=
    if command -v timeout >/dev/null; then bounded="timeout $limit"; fi
    $bounded wget -q -t 1 -T "$limit" -O "$temporary" -- "$url" 2>/dev/null
    status=$?
    case $status in
    0) return ;;
    4) why="the host does not answer, or the transfer was cut short; is there a network?" ;;
    8) why="the server answered with an error" ;;
    124) why="it took more than $limit seconds" ;;
    *) why="wget ended with status $status" ;;
    esac
    fail "cannot fetch $url: $why"
}

# put_file TARGET [FILE]: leaves a right file as it is; otherwise copies FILE, or fetches $url, beside the target and
# moves it into place once its size and SHA-256 are right. Makes the target's directory.
put_file() {
    target=$1 copied=${2:-} place=${1%/*}
    [ ! -d "$target" ] || fail "$target is a directory"
    if [ -f "$target" ] && [ -r "$target" ] && [ -z "$(fault_of "$target")" ]; then
        echo "$target is there already, verified"
        return
    fi
    if [ -n "$copied" ]; then
        [ -e "$copied" ] || fail "$copied: no such file"
        [ ! -d "$copied" ] || fail "$copied is a directory, not a file"
        [ -r "$copied" ] || fail "$copied: permission denied"
    fi
    mkdir -p "$place" 2>/dev/null || fail "cannot create the directory $place"
    temporary=$(mktemp "$place/.${target##*/}.XXXXXX" 2>/dev/null) || fail "cannot write in $place"

    if [ -n "$copied" ]; then
        cat <"$copied" >"$temporary" || fail "cannot copy $copied to $place"
        origin=$copied
    elif command -v curl >/dev/null; then
        fetch_with_curl
        origin=$url
    elif command -v wget >/dev/null; then
        fetch_with_wget
        origin=$url
    else
        fail "neither curl nor wget is installed; get $url another way and give it with --from"
    fi
    fault=$(fault_of "$temporary")
    [ -z "$fault" ] || fail "$origin is not $what: $fault"
    chmod '=rw' "$temporary" # as the umask has it; mktemp allows only the owner
    mv -f "$temporary" "$target" 2>/dev/null || fail "cannot move the file to $target"
    temporary=
    echo "$target: $size bytes from $origin, verified"
}
